"""The manifests: valid, tied to each other, and closed where they have to be."""

import kubernetes_validate
import pytest
import yaml

from tests.servers import PROJECT

FOLDER = PROJECT / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))
MANIFESTS = {
    (manifest["kind"], manifest["metadata"]["name"]): manifest
    for file in KUSTOMIZATION["resources"]
    for manifest in yaml.safe_load_all((FOLDER / file).read_text("utf-8"))
}
DEPLOYMENT = MANIFESTS["Deployment", "classroom"]["spec"]
POD = DEPLOYMENT["template"]
(APP,) = POD["spec"]["containers"]
SERVICE = MANIFESTS["Service", "classroom"]["spec"]
INGRESS, FILES = (MANIFESTS["Ingress", name] for name in ("classroom", "files"))
SCALE = MANIFESTS["HorizontalPodAutoscaler", "classroom"]["spec"]
PREFIX = "nginx.ingress.kubernetes.io/"


def services(ingress):
    paths = ingress["spec"]["rules"][0]["http"]["paths"]
    return {path["path"]: path["backend"]["service"]["name"] for path in paths}


@pytest.mark.parametrize("manifest", MANIFESTS, ids=" ".join)
def test_a_manifest_is_valid(manifest):
    kubernetes_validate.validate(MANIFESTS[manifest], "1.37", strict=True)


def test_every_file_is_used():
    files = {file.name for file in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert files == set(KUSTOMIZATION["resources"])


def test_all_select_the_pods_of_the_deployment():
    labels = POD["metadata"]["labels"]
    selectors = [
        DEPLOYMENT["selector"]["matchLabels"],
        SERVICE["selector"],
        MANIFESTS["NetworkPolicy", "classroom"]["spec"]["podSelector"]["matchLabels"],
        MANIFESTS["PodDisruptionBudget", "classroom"]["spec"]["selector"]["matchLabels"],
        POD["spec"]["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"],
    ]
    assert selectors == [labels] * len(selectors)
    target = SCALE["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", "classroom")
    assert "replicas" not in DEPLOYMENT


def test_the_port_and_the_user_are_those_of_the_image():
    dockerfile = (PROJECT / "deploy" / "Dockerfile").read_text("utf-8")
    (port,) = APP["ports"]
    assert f"EXPOSE {port['containerPort']}\n" in dockerfile
    assert f"USER {POD['spec']['securityContext']['runAsUser']}\n" in dockerfile
    assert SERVICE["ports"][0]["targetPort"] == port["name"]
    assert {image["name"] for image in KUSTOMIZATION["images"]} == {APP["image"]}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert APP[probe]["httpGet"] == {"path": "/_stcore/health", "port": port["name"]}


def test_a_pod_may_do_little():
    security = POD["spec"]["securityContext"] | APP["securityContext"]
    assert security["runAsNonRoot"]
    assert security["readOnlyRootFilesystem"]
    assert not security["allowPrivilegeEscalation"]
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert not POD["spec"]["automountServiceAccountToken"]
    policy = MANIFESTS["NetworkPolicy", "classroom"]["spec"]
    assert "Egress" in policy["policyTypes"]
    assert "egress" not in policy
    assert "limits" in APP["resources"]


def test_no_other_site_shows_the_app_until_one_is_named():
    assert {entry["name"]: entry["value"] for entry in APP["env"]} == {
        "FRAME_ANCESTORS": "'self'",
        "STREAMLIT_SERVER_XSRF_COOKIE_SAME_SITE": "lax",
    }


def test_a_student_comes_back_to_a_replica_and_nobody_to_the_metrics():
    annotations = INGRESS["metadata"]["annotations"]
    assert annotations[f"{PREFIX}affinity"] == "cookie"
    assert annotations[f"{PREFIX}session-cookie-change-on-failure"] == "true"
    assert "http_404" not in annotations.get(f"{PREFIX}proxy-next-upstream", "")
    assert services(INGRESS) == {"/_stcore/metrics": "nothing", "/": "classroom"}
    assert "selector" not in MANIFESTS["Service", "nothing"]["spec"]


def test_a_file_is_asked_of_every_replica():
    annotations = FILES["metadata"]["annotations"]
    assert f"{PREFIX}affinity" not in annotations
    assert "http_404" in annotations[f"{PREFIX}proxy-next-upstream"]
    assert int(annotations[f"{PREFIX}proxy-next-upstream-tries"]) == SCALE["maxReplicas"]
    assert services(FILES) == {"/media": "classroom", "/_stcore/upload_file": "classroom"}
    for part in ("tls", "ingressClassName"):
        assert FILES["spec"][part] == INGRESS["spec"][part]
    assert FILES["spec"]["rules"][0]["host"] == INGRESS["spec"]["rules"][0]["host"]


@pytest.mark.parametrize("ingress", [INGRESS, FILES], ids=["classroom", "files"])
def test_links_stay_out_of_the_log_and_the_controller_needs_no_snippets(ingress):
    annotations = ingress["metadata"]["annotations"]
    assert annotations[f"{PREFIX}enable-access-log"] == "false"
    assert not any("snippet" in name for name in annotations)
