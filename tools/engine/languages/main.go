// The language hosts for Python and Go, for machines that cannot download the official release, which has both: Pulumi does
// not publish their modules. One executable serves both, and its name decides which. They implement what the tests of this
// repository need, with the code generators and the SDK of the engine's own modules. Never shipped.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	hclsyntax "github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/version"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Operations that differ between the languages.
type language interface {
	// Returns the files of a package's SDK.
	generate(pkg *schema.Package, loader schema.ReferenceLoader, request *pulumirpc.GeneratePackageRequest) (map[string][]byte, error)
	// Returns the files of a program that `pulumi import` writes.
	generateProgram(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error)
	// Adds SDKs, by folder, to the program's dependencies. Returns the imports that the program needs.
	link(ctx context.Context, info *pulumirpc.ProgramInfo, packages map[string]*schema.Package) ([]string, error)
	// Installs the program's dependencies.
	install(ctx context.Context, info *pulumirpc.ProgramInfo, out io.Writer) error
	// Returns the paths of pulumi-plugin.json in the program's dependencies: each SDK of a package has one.
	plugins(ctx context.Context, info *pulumirpc.ProgramInfo) ([]string, error)
	// Returns the program, ready to be started.
	program(ctx context.Context, request *pulumirpc.RunRequest, engineAddress string) (*exec.Cmd, error)
}

// Exit code of a program that has shown its errors already.
const alreadyShown = 32

func main() {
	served := map[string]language{"pulumi-language-python": python{}, "pulumi-language-go": golang{}}
	own := &host{language: served[filepath.Base(os.Args[0])], engineAddress: os.Args[len(os.Args)-1]}
	ctx, cancel := context.WithCancel(context.Background())
	stop := make(chan bool)
	go func() {
		<-ctx.Done()
		close(stop)
	}()
	// The host ends itself if its engine was killed.
	if err := rpcutil.Healthcheck(ctx, own.engineAddress, 5*time.Minute, cancel); err != nil {
		fail(err)
	}
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: stop,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, own)
			return nil
		},
	})
	if err != nil {
		fail(err)
	}
	fmt.Println(handle.Port)
	if err := <-handle.Done; err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	language
	engineAddress string
}

func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: version.Version}, nil
}

// The engine installs these plugins before it runs the program, so tests fail here where a user's run would fail.
func (h *host) GetRequiredPackages(
	ctx context.Context, request *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	files, err := h.plugins(ctx, request.Info)
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.GetRequiredPackagesResponse{}
	for _, file := range files {
		needed, err := plugin.LoadPulumiPluginJSON(file)
		if err != nil {
			return nil, err
		}
		if needed.Resource {
			response.Packages = append(response.Packages, &pulumirpc.PackageDependency{
				Name:    needed.Name,
				Version: "v" + strings.TrimPrefix(needed.Version, "v"),
				Kind:    "resource",
				Server:  needed.Server,
			})
		}
	}
	return response, nil
}

func (h *host) InstallDependencies(
	request *pulumirpc.InstallDependenciesRequest, server pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	closer, stdout, _, err := rpcutil.MakeInstallDependenciesStreams(server, request.IsTerminal)
	if err != nil {
		return err
	}
	defer closer.Close()
	return h.install(server.Context(), request.Info, stdout)
}

func (h *host) GeneratePackage(
	_ context.Context, request *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	client, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	loader := schema.NewCachedLoader(client)
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(request.Schema), &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.GeneratePackageResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)}
	if diagnostics.HasErrors() {
		return response, nil
	}
	files, err := h.generate(pkg, loader, request)
	if err != nil {
		return nil, err
	}
	for name, content := range files {
		path := filepath.Join(request.Directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	return response, nil
}

func (h *host) GenerateProgram(
	_ context.Context, request *pulumirpc.GenerateProgramRequest,
) (*pulumirpc.GenerateProgramResponse, error) {
	client, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	parser := hclsyntax.NewParser()
	for path, content := range request.Source {
		if err := parser.ParseFile(strings.NewReader(content), path); err != nil {
			return nil, err
		}
	}
	// The only caller, `pulumi import`, does not need strict binding.
	options := pcl.NonStrictBindOptions()
	program, diagnostics, err := pcl.BindProgram(parser.Files, schema.NewCachedLoader(client), options...)
	if err != nil {
		return nil, err
	}
	diagnostics = append(parser.Diagnostics, diagnostics...)
	response := &pulumirpc.GenerateProgramResponse{}
	if !diagnostics.HasErrors() {
		files, more, err := h.generateProgram(program)
		if err != nil {
			return nil, err
		}
		response.Source = files
		diagnostics = append(diagnostics, more...)
	}
	response.Diagnostics = plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)
	return response, nil
}

func (h *host) Link(ctx context.Context, request *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	client, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	packages := map[string]*schema.Package{}
	for _, linked := range request.Packages {
		descriptor := &schema.PackageDescriptor{Name: linked.Package.Name, DownloadURL: linked.Package.Server}
		if parsed, err := semver.New(linked.Package.Version); err == nil {
			descriptor.Version = parsed
		}
		reference, err := schema.LoadPackageReferenceV2(ctx, schema.NewCachedLoader(client), descriptor)
		if err != nil {
			return nil, err
		}
		if packages[linked.Path], err = reference.Definition(); err != nil {
			return nil, err
		}
	}
	imported, err := h.link(ctx, request.Info, packages)
	if err != nil {
		return nil, err
	}
	instructions := "You can import the SDK with:\n\n  " + strings.Join(imported, "\n  ") + "\n"
	return &pulumirpc.LinkResponse{ImportInstructions: instructions}, nil
}

func (h *host) Run(ctx context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	command, err := h.program(ctx, request, h.engineAddress)
	if err != nil {
		return nil, err
	}
	// Send an empty map and an empty list, because Python cannot iterate over null.
	values, secretKeys := map[string]string{}, append([]string{}, request.ConfigSecretKeys...)
	maps.Copy(values, request.Config)
	config, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	secrets, err := json.Marshal(secretKeys)
	if err != nil {
		return nil, err
	}
	command.Env = append(command.Environ(), "PULUMI_CONFIG="+string(config), "PULUMI_CONFIG_SECRET_KEYS="+string(secrets))
	command.Dir = request.Pwd
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	err = command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &pulumirpc.RunResponse{}, nil
	case errors.As(err, &exit) && exit.ExitCode() == alreadyShown:
		return &pulumirpc.RunResponse{Bail: true}, nil
	case errors.As(err, &exit):
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("program exited with non-zero exit code: %d", exit.ExitCode())}, nil
	default:
		return nil, err
	}
}
